from . import softmax

__all__ = ["softmax"]
