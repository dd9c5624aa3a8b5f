from nodes.llm.llm import Llm

if __name__ == "__main__":
    Llm.main()
