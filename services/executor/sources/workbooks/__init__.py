"""How much room a workbook's cells take, told from the file before a reader makes any."""
