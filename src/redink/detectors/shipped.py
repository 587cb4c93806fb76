"""Detectors by name or by file: the shipped models, or anybody's own."""

from __future__ import annotations

from pathlib import Path

from redink.analysis.analyser import Analyser
from redink.detectors.classifier import ClassifierDetector, open_classifier
from redink.detectors.findings import Detector
from redink.detectors.language_model import LanguageModel
from redink.detectors.lm_detector import LanguageModelDetector
from redink.detectors.model_files import read_model
from redink.errors import OptionError

RESOURCES = Path(__file__).with_name("resources")
SHIPPED = {"maxent": RESOURCES / "maxent.model", "lm": RESOURCES / "lm.model"}


def model_path(model: str | Path) -> Path:
    """The file of a model: of a shipped one by its name, else the path itself."""
    if str(model) == "perceptron":
        raise OptionError(
            "no perceptron comes with redink; train one with "
            "'redink detect train TEXT --detector perceptron -o FILE'"
        )
    return SHIPPED.get(str(model), Path(model))


def load_detector(model: str | Path, analyser: Analyser) -> Detector:
    """The detector of a model, told by what its file says it is."""
    path = model_path(model)
    file = read_model(path)
    if file.kind == "lm":
        return LanguageModelDetector(LanguageModel.load(path))
    return ClassifierDetector(open_classifier(file, path), analyser)
