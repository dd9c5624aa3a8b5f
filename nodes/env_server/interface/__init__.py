"""How a policy meets a session (`messages.world.Interface`): what it sees, may do and is paid for,
and when it is done, each made ready for a world."""
