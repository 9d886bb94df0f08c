// A chart of the best cost and the lower bound over time, drawn by uPlot.

import { number } from "./dom.js";
import * as words from "./words.js";

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class Chart {
  constructor(place) {
    this.place = place;
    this.plot = null;
    this.data = [[], [], []];
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => {
      if (this.plot) this.draw(true);
    };
    this.dark.addEventListener("change", this.redraw);
    this.watch = new ResizeObserver(() => {
      if (this.plot && this.place.clientWidth) {
        this.plot.setSize({ width: this.place.clientWidth, height: this.height() });
      }
    });
    this.watch.observe(place);
  }

  height() {
    return this.place.clientWidth < 500 ? 200 : 240;
  }

  set(points) {
    this.data = [0, 1, 2].map((column) => points.map((point) => point[column]));
    this.draw();
  }

  add(seconds, best, bound) {
    const last = this.data[0].at(-1);
    if (last !== undefined && seconds <= last) return;
    [seconds, best, bound].forEach((value, column) => this.data[column].push(value));
    this.draw();
  }

  draw(again = false) {
    if (again && this.plot) {
      this.plot.destroy();
      this.plot = null;
    }
    const last = this.data[0].length - 1;
    if (last >= 0) {
      this.place.setAttribute(
        "aria-label",
        words.chart(this.data[0][last], this.data[1][last], this.data[2][last]),
      );
    }
    if (this.plot) {
      this.plot.setData(this.data);
    } else if (this.place.clientWidth) {
      this.plot = new window.uPlot(this.options(), this.data, this.place);
    }
  }

  options() {
    const axis = {
      stroke: colour("--soft"),
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { stroke: colour("--line"), width: 1, size: 4 },
      font: "12px system-ui, sans-serif",
    };
    const line = (name, label) => ({
      label,
      stroke: colour(name),
      width: 2,
      paths: window.uPlot.paths.stepped({ align: 1 }),
      points: { show: false },
      value: (_, value) => number(value),
    });
    return {
      width: this.place.clientWidth,
      height: this.height(),
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      scales: { x: { time: false } },
      bands: [{ series: [1, 2], fill: colour("--between") }],
      axes: [
        { ...axis, size: 32, values: (_, ticks) => ticks.map((tick) => `${number(tick)} s`) },
        {
          ...axis,
          values: (_, ticks) => ticks.map(number),
          // The axis is as wide as its longest number.
          size: (_, labels) => 18 + 7 * Math.max(4, ...(labels ?? []).map((label) => label.length)),
        },
      ],
      series: [{}, line("--best", "best"), line("--bound", "lower bound")],
    };
  }

  destroy() {
    this.dark.removeEventListener("change", this.redraw);
    this.watch.disconnect();
    this.plot?.destroy();
    this.plot = null;
    this.place.replaceChildren();
  }
}
