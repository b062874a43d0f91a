from gepass import FusionBasePass, register_fusion_pass


@register_fusion_pass(name="Same", stage="AfterInferShape")
class First(FusionBasePass):
    def run(self, graph, context):
        return True
