"""What do the slow, failed or expensive rows have in common?"""
