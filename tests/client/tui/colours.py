"""What colours look like: xterm's sixteen, contrast by WCAG 2.1, eyes that see fewer colours."""

from __future__ import annotations

from typing import Final

XTERM: Final = {
    "ansiblack": "#000000",
    "ansired": "#cd0000",
    "ansigreen": "#00cd00",
    "ansiyellow": "#cdcd00",
    "ansiblue": "#0000ee",
    "ansimagenta": "#cd00cd",
    "ansicyan": "#00cdcd",
    "ansigray": "#e5e5e5",
    "ansibrightblack": "#7f7f7f",
    "ansibrightred": "#ff0000",
    "ansibrightgreen": "#00ff00",
    "ansibrightyellow": "#ffff00",
    "ansibrightblue": "#5c5cff",
    "ansibrightmagenta": "#ff00ff",
    "ansibrightcyan": "#00ffff",
    "ansiwhite": "#ffffff",
}
"""The sixteen colours as xterm has them, which most terminals come near to."""

Colour = tuple[float, float, float]
"""Linear red, green and blue, 0 to 1."""

DEUTERANOPIA: Final = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
TRITANOPIA: Final = (
    (1.255528, -0.076749, -0.178779),
    (-0.078411, 0.930809, 0.147602),
    (0.004733, 0.691367, 0.303900),
)
"""What is seen of a colour without green cones and without blue ones: Machado, Oliveira and
Fernandes (2009), severity 1, on linear colours."""


def linear(colour: str) -> Colour:
    """`#rrggbb` as light."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return _light(red), _light(green), _light(blue)


def _light(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def mixed(colour: str, other: str) -> str:
    """Half of both: what terminals make of faint text."""
    pairs = ((int(colour[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{(a + b) // 2:02x}" for a, b in pairs)


def contrast(colour: str, other: str) -> float:
    """From 1 for none to 21 for black on white."""
    darker, lighter = sorted(_luminance(linear(each)) for each in (colour, other))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    red, green, blue = colour
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def seen(colour: str, eyes: tuple[Colour, Colour, Colour] | None) -> Colour:
    """What is seen of a colour; with no `eyes` all of it."""
    red, green, blue = linear(colour)
    if eyes is None:
        return red, green, blue
    first, second, third = (min(1.0, max(0.0, a * red + b * green + c * blue)) for a, b, c in eyes)
    return first, second, third


def difference(colour: Colour, other: Colour) -> float:
    """How far apart two colours are, as CIE 1976 has it; less than 20 is easily mistaken."""
    pairs = zip(_lab(colour), _lab(other), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


def _lab(colour: Colour) -> Colour:
    red, green, blue = colour
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = _luminance(colour)
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (_root(value) for value in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _root(value: float) -> float:
    return float(value ** (1 / 3)) if value > 0.008856 else 7.787 * value + 16 / 116
