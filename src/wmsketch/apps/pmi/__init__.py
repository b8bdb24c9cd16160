"""Which items occur together?"""
