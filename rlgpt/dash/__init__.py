"""``rlgpt dash``: a run in the browser, while it goes on or after it has ended.

``page_server.py`` starts it, ``app.py`` has the addresses, ``access.py`` decides who may ask.
``follow/`` watches a run on its bus and in its folder, ``views/`` reads what each panel of the page
shows, ``static/`` is the page: plain modules of JavaScript, one stylesheet, two libraries.
"""
