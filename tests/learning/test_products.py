"""Matrix products by oneDNN are torch's own, transposed views and narrow matrices included."""

import pytest
import torch

from models.products import affine, product


@pytest.mark.parametrize(
    ("rows", "inputs", "outputs"), [(256, 224, 128), (64, 33, 40), (256, 128, 1), (3, 64, 64)]
)
def test_an_affine_product_is_that_of_a_linear_layer(rows: int, inputs: int, outputs: int) -> None:
    torch.manual_seed(0)
    layer = torch.nn.Linear(inputs, outputs)
    values = torch.randn(rows, inputs)
    with torch.inference_mode():
        found = affine(values, layer.weight, layer.bias)
        assert found.shape == (rows, outputs)
        torch.testing.assert_close(found, layer(values), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("rows", "outputs"), [(256, 128), (256, 1), (40, 64)])
def test_a_product_takes_transposed_views(rows: int, outputs: int) -> None:
    torch.manual_seed(1)
    gradient, values, weight = (
        torch.randn(rows, outputs),
        torch.randn(rows, 96),
        torch.randn(outputs, 96),
    )
    with torch.inference_mode():
        of_weights = product(gradient.T, values)
        torch.testing.assert_close(of_weights, gradient.T @ values, rtol=1e-4, atol=1e-4)
        below = product(gradient, weight)
        torch.testing.assert_close(below, gradient @ weight, rtol=1e-4, atol=1e-4)


def test_other_types_than_float32_stay_with_torch() -> None:
    left, right = torch.randn(64, 64).double(), torch.randn(64, 64).double()
    assert product(left, right).dtype == torch.float64
    torch.testing.assert_close(product(left, right), left @ right)
