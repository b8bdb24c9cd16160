"""A stand-in for the on-time table of the US Bureau of Transportation Statistics: quoted text, codes, a last comma."""

import random

_TEXT = ["FlightDate", "Reporting_Airline", "Tail_Number", "Origin", "OriginCityName", "Dest", "DepTimeBlk"]
_CODES = ["OriginStateFips", "DestStateFips", "CRSDepTime"]  # quoted
_NUMBERS = ["Year", "Month", "DayofMonth", "DOT_ID_Reporting_Airline", "DepDelay", "ArrDelay", "Distance"]
_RESTATING = ["DepDelayMinutes", "DepDel15", "DepartureDelayGroups"]  # all say the same as DepDelay
_DIVERTED = [
    f"Div{i}{what}" for i in range(1, 18) for what in ("Airport", "AirportID", "WheelsOn", "GTime", "TailNum", "X")
]
NAMES = [
    *_TEXT,
    *_CODES,
    *_NUMBERS,
    *_RESTATING,
    "ArrDel15",
    *_DIVERTED[:99],
]  # 120, and an empty one behind the last comma
ODD_ROW = 5599


def write_flights(path, rows=7000):
    """Write the table. Airline EV is late. Row 5,599 has the only diverted flight, and an odd distance."""
    chance = random.Random(7)
    with path.open("w") as file:
        file.write(",".join(f'"{name}"' for name in NAMES) + ",\n")
        for row in range(1, rows + 1):
            airline = ("AA", "EV", "UA")[row % 3]
            delay = chance.randrange(-10, 50) + 60 * (airline == "EV" and row % 2 == 0)
            origin = ("ATL", "JFK", "SEA", "ORD")[row % 4]
            text = [
                f"2024-01-{row % 28 + 1:02d}",
                airline,
                f"N{row % 900:03d}",
                origin,
                f"City, {origin}",
                "LAX",
                "0800",
            ]
            quoted = [*text, f"{row % 50 + 1:02d}", str(row % 50 + 10), f"{row % 24:02d}30"]
            numbers = [
                "2024",
                "1",
                str(row % 28 + 1),
                str(19000 + row % 30),
                f"{delay}.00",
                f"{delay + 3}.00",
                "700.00",
            ]
            numbers += [f"{max(0, delay)}.00", f"{int(delay >= 15)}.00", str(max(-2, min(12, delay // 15)))]
            cells = [*(f'"{each}"' for each in quoted), *numbers, f"{int(delay + 3 > 15)}.00", *[""] * 99]
            if row == ODD_ROW:
                cells[NAMES.index("Distance")] = "n/k"
                cells[NAMES.index("Div1Airport")] = '"BOS"'
                cells[NAMES.index("Div1AirportID")] = "10721"
            file.write(",".join(cells) + ",\n")
    return path
