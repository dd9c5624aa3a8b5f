from nodes.critic.critic import Critic

if __name__ == "__main__":
    Critic.main()
