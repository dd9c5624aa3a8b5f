"""What was built before the player came: villages, mines, temples and all the rest."""
