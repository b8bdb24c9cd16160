"""What differs between two streams?"""
