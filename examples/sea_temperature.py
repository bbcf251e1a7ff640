"""How long do warm and cold spells of the sea off Peru last? A model fitted to 40 years of data.

Each month the sea is drawn back towards the temperature that is normal for the season: a share of
the anomaly (the distance from normal) remains. Warm spells (El Nino) may keep another share than
cold ones (La Nina), so the model has a branch on the temperature itself. From every month of the
record it is run six months ahead, each step written into an array, and compared with what was
measured. Seven parameters are fitted by BFGS, with the gradient that srcgrad writes.

    python examples/sea_temperature.py --plot sea_temperature.png

The data, examples/data/nino12.csv, are monthly means of 1950 to 2010 from NOAA (public domain; the
file names its source). The years that the fit has not seen tell what the model is worth.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from srcgrad import value_and_grad

DATA = Path(__file__).parent / "data" / "nino12.csv"

# Degrees Celsius: yearly mean, then cosine and sine of the yearly and of the half-yearly cycle.
# Months: the time in which a warm and a cold spell fade to 1/e.
FIRST_GUESS = np.array([23.0, 0.0, 0.0, 0.0, 0.0, 3.0, 3.0])


# The model ------------------------------------------------------------------------------------


def normal_year(params):
    """Return the temperature that is normal for each of the twelve months."""
    phase = 2.0 * np.pi * np.arange(12) / 12.0
    yearly = params[1] * np.cos(phase) + params[2] * np.sin(phase)
    half_yearly = params[3] * np.cos(2.0 * phase) + params[4] * np.sin(2.0 * phase)
    return params[0] + yearly + half_yearly


def forecast(params, normal, measured, start, months):
    """Return the temperatures of the *months* that follow month *start* of the record."""
    sea = np.empty(months + 1)
    sea[0] = measured[start]
    for k in range(months):
        anomaly = sea[k] - normal[(start + k) % 12]
        if anomaly > 0.0:
            kept = np.exp(-1.0 / params[5])
        else:
            kept = np.exp(-1.0 / params[6])
        sea[k + 1] = normal[(start + k + 1) % 12] + kept * anomaly
    return sea[1:]


def misfit(params, measured, months):
    """Return the mean squared error of the forecasts from every month of the record."""
    normal = normal_year(params)
    starts = len(measured) - months
    total = 0.0
    for start in range(starts):
        error = forecast(params, normal, measured, start, months)
        error -= measured[start + 1 : start + months + 1]
        total += np.sum(error**2)
    return total / (starts * months)


# The fit, and what it is worth ----------------------------------------------------------------


def fit(measured, months):
    """Return SciPy's result of fitting the seven parameters."""
    objective = value_and_grad(misfit)
    return minimize(objective, FIRST_GUESS, args=(measured, months), jac=True, method="BFGS")


def check(params, measured, months, step=1e-6):
    """Return the gradient's largest entry, and its largest deviation from central differences."""
    _, gradient = value_and_grad(misfit)(params, measured, months)
    slopes = np.zeros_like(params)
    for i in range(params.size):
        move = np.zeros_like(params)
        move[i] = step
        ahead, behind = (misfit(params + sign * move, measured, months) for sign in (1, -1))
        slopes[i] = (ahead - behind) / (2.0 * step)
    return np.max(np.abs(gradient)), np.max(np.abs(gradient - slopes))


def forecasts(params, measured, months):
    """Return a forecast for every month of the record, one a row."""
    normal = normal_year(params)
    starts = range(len(measured) - months)
    return np.array([forecast(params, normal, measured, start, months) for start in starts])


def typical_errors(params, measured, months, seasons):
    """Return the root mean square error by months ahead: of the model and of two simple rules.

    *seasons* are the mean temperatures of the twelve months in the years of the fit. One rule says
    that the sea will be as in those years, the other that today's anomaly will stay.
    """
    starts = np.arange(len(measured) - months)[:, None]
    ahead = starts + np.arange(1, months + 1)
    truth = measured[ahead]
    usual = seasons[ahead % 12]
    guesses = {
        "model": forecasts(params, measured, months),
        "as usual": usual,
        "anomaly stays": usual + measured[starts] - seasons[starts % 12],
    }
    return {name: np.sqrt(np.mean((g - truth) ** 2, axis=0)) for name, g in guesses.items()}


def draw(path, params, measured, first_year, errors):
    """Draw the record with the model's forecasts, and the errors by months ahead."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    months = len(errors["model"])
    ahead = np.arange(1, months + 1)
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(9, 7), layout="constrained")

    top.plot(first_year + np.arange(len(measured)) / 12, measured, "k", lw=1, label="measured")
    runs = forecasts(params, measured, months)
    for start in range(0, len(runs), months):
        times = first_year + (start + np.arange(months + 1)) / 12
        label = f"model, {months} months ahead" if start == 0 else None
        top.plot(times, [measured[start], *runs[start]], color="tab:red", lw=1.2, label=label)
    top.set(xlabel="year", ylabel="sea surface temperature (°C)")
    top.set_title("Years that the fit has not seen")
    top.legend(loc="upper right")

    for name, error in errors.items():
        bottom.plot(ahead, error, marker="o", label=name)
    bottom.set(xlabel="months ahead", ylabel="root mean square error (°C)", xticks=ahead, ylim=0)
    bottom.legend()
    figure.savefig(path, dpi=120)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--until", type=int, default=1989, help="last year of the fit")
    parser.add_argument("--months", type=int, default=6, help="how far ahead a forecast goes")
    parser.add_argument("--plot", type=Path, default=Path("sea_temperature.png"))
    options = parser.parse_args(arguments)

    table = np.loadtxt(DATA, delimiter=",")
    years = table[:, 0].astype(int)
    seen = years <= options.until
    past, future = table[seen, 1:], table[~seen, 1:].ravel()

    found = fit(past.ravel(), options.months)
    mean, *_, warm, cold = found.x
    print(f"fitted to {years[seen][0]}-{options.until} in {found.nit} steps of BFGS:")
    print(f"  root mean square error    {np.sqrt(found.fun):6.3f} °C")
    print(f"  mean temperature          {mean:6.2f} °C")
    print(f"  a warm spell fades in      {warm:6.2f} months")
    print(f"  a cold spell fades in      {cold:6.2f} months")

    for where, params in (("first guess", FIRST_GUESS), ("fit", found.x)):
        entry, deviation = check(params, past.ravel(), options.months)
        print(f"gradient at the {where}: largest entry {entry:.1e}, ", end="")
        print(f"largest deviation from differences {deviation:.1e}")

    errors = typical_errors(found.x, future, options.months, past.mean(axis=0))
    print(f"root mean square error (°C) in {years[~seen][0]}-{years[-1]}, by months ahead:")
    for name, error in errors.items():
        print(f"  {name:15}", " ".join(f"{value:.2f}" for value in error))

    draw(options.plot, found.x, future, years[~seen][0], errors)
    print(f"plot: {options.plot}")


if __name__ == "__main__":
    main()
