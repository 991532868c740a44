"""What the local player has played: a small file on this machine, and what it comes to."""
