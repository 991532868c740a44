"""The full-screen client: pure selectors and screens under a thin prompt_toolkit skin."""
