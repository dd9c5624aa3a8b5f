"""An interface (`messages.world.Interface`) bound to a world: its features, choices, rewards and
end."""
