"""Sphinx's configuration. `python -m docs.site` puts it beside the staged pages."""

project = "RL-GPT"
copyright = "the authors of RL-GPT's reference implementation, MIT licence"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

# Pages are GitHub's Markdown: headings are what links lead to.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
highlight_language = "none"
default_role = "code"  # docstrings name things in single backticks

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88

html_theme = "furo"
html_title = "RL-GPT"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["extra"]  # films
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {
        "font-stack": "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif",
        "font-stack--monospace": "ui-monospace, 'DejaVu Sans Mono', Menlo, monospace",
    },
}


def setup(app):
    app.connect("autodoc-process-docstring", _keep_first_line, priority=400)  # before napoleon


def _keep_first_line(app, what, name, obj, options, lines):
    """Napoleon takes what stands before a colon in the first line of a variable's docstring for the
    variable's type. Behind a line that shows nothing (an escaped line end) it is prose."""
    if what in ("attribute", "data", "property") and any(lines):
        lines.insert(0, "\\")
