from gepass import FusionBasePass, register_fusion_pass


class Base(FusionBasePass):
    def run(self, graph, context):
        return True


@register_fusion_pass(name="TuneSoftmax", stage="AfterOriginGraphOptimize")
class Tune(Base):
    pass


@register_fusion_pass(name="FuseSoftmax", stage="AfterInferShape")
class Fuse(Base):
    pass
