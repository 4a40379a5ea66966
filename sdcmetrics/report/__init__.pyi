from .formats.write import write_all as write_all
from .formats.write import write_csv as write_csv
from .formats.write import write_html as write_html
from .formats.write import write_json as write_json
from .formats.write import write_pdf as write_pdf
from .formats.write import write_xlsx as write_xlsx
from .safety.protect.coarsened import coarsened as coarsened
from .source import judged as judged
