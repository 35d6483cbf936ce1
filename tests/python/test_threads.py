import threading

import torch

from contract import compiled


def run_in_threads(count, body):
    errors = []
    barrier = threading.Barrier(count)

    def run(number):
        try:
            barrier.wait()
            body(number)
        except Exception as e:
            errors.append(e)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(timeout=300)
    assert not errors, errors
    assert not any(t.is_alive() for t in threads)


def test_eight_threads_call_one_function():
    f = compiled(lambda x, y: torch.softmax(x @ y, -1) + x.sum())
    f(torch.randn(64, 64), torch.randn(64, 64))

    def body(number):
        generator = torch.Generator().manual_seed(number)
        for _ in range(50):
            x, y = torch.randn(64, 64, generator=generator), torch.randn(64, 64, generator=generator)
            torch.testing.assert_close(f(x, y), torch.softmax(x @ y, -1) + x.sum(), rtol=1e-4, atol=1e-4)

    run_in_threads(8, body)


def test_threads_share_a_model_with_frozen_weights():
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 8)).eval()
    f = compiled(model)
    with torch.no_grad():
        f(torch.randn(4, 32))

    def body(number):
        torch.manual_seed(number)
        with torch.no_grad():
            for _ in range(50):
                x = torch.randn(4, 32)
                torch.testing.assert_close(f(x), model(x))

    run_in_threads(8, body)


def test_threads_compile_different_programs():
    def body(number):
        f = torch.compile(lambda x: torch.sin(x * number) + number, backend="litz")
        x = torch.randn(100)
        torch.testing.assert_close(f(x), torch.sin(x * number) + number)

    run_in_threads(4, body)


def test_first_call_from_many_threads():
    f = torch.compile(lambda x: torch.cos(x) * 3, backend="litz")

    def body(number):
        x = torch.full((50,), float(number))
        torch.testing.assert_close(f(x), torch.cos(x) * 3)

    run_in_threads(8, body)
