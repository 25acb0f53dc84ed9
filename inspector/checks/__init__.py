"""What is wrong with it: findings about recorded traffic. Pure functions over frames and facts; nothing here raises."""
