def check():
    token = "a value that no output may hold"
    raise RuntimeError("needs CANN 9.2 or later")


check()
