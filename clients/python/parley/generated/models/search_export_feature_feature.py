from enum import StrEnum


class SearchExportFeatureFeature(StrEnum):
    ADVANCEDCONFIG = "advancedConfig"
    ANSWERCONFIG = "answerConfig"
    ANSWERRETRIEVALS = "answerRetrievals"
    BUSINESSRULES = "businessRules"
    CHUNKSTAGES = "chunkStages"
    SEARCHRESULTSCONFIG = "searchResultsConfig"

    def __str__(self) -> str:
        return str(self.value)
