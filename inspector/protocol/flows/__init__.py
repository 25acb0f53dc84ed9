"""Protocol flows: generators that yield steps and receive the outcomes. A driver performs the steps."""
