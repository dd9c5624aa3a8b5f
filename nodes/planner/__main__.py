from nodes.planner.planner import Planner

if __name__ == "__main__":
    Planner.main()
