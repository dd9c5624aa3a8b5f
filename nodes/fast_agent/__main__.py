from nodes.fast_agent.fast_agent import FastAgent

if __name__ == "__main__":
    FastAgent.main()
