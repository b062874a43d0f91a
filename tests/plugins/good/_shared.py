OP_TYPES = ("Conv2D", "矩阵乘")
