"""
How much gepass costs, as ratios within one run: ``python -m tests.benchmarks``.

``rows`` says what is compared, ``measuring`` runs it in child processes, ``works`` is
what runs there, ``files`` makes what is loaded.
"""
