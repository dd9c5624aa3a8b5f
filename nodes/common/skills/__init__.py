"""Skills: coded actions and policies that worked, and the library that keeps them."""
