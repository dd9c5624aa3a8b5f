from nodes.slow_agent.slow_agent import SlowAgent

if __name__ == "__main__":
    SlowAgent.main()
