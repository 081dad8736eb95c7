const NS = "http://www.w3.org/2000/svg";
const SCALE = 2;
const TITLE_PX = 36;
const STYLES = [
	...["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "paint-order"],
	...["font-size", "font-weight", "text-anchor"],
];

/** Height of an event's line below the chart, and radius of its marker. */
const [EVENT_PX, MARKER_PX] = [18, 8];

/** Events at one place of the time axis; `x` in pixels of the chart. */
export type PngEvent = { x: number; texts: readonly string[] };

/** Writes computed styles into a copy, since page styles do not apply to an SVG drawn as an image. */
function copyStyles(from: Element, to: Element): void {
	const computed = getComputedStyle(from);
	to.setAttribute("style", STYLES.map((name) => `${name}:${computed.getPropertyValue(name)}`).join(";"));
	[...from.children].forEach((child, i) => {
		const copy = to.children[i];
		if (copy) copyStyles(child, copy);
	});
}

function copyOf(element: Element): Element {
	const copy = element.cloneNode(true) as Element;
	copyStyles(element, copy);
	return copy;
}

/** A chart's SVG on its own: with its styles and the hatch patterns that it refers to. */
function standaloneSvg(svg: SVGSVGElement): string {
	const copy = copyOf(svg);
	copy.setAttribute("xmlns", NS);
	const defs = document.createElementNS(NS, "defs");
	defs.append(...[...document.querySelectorAll("pattern[id^='hatch-']")].map(copyOf));
	copy.prepend(defs);
	return new XMLSerializer().serializeToString(copy);
}

/** A numbered line at each event, and the texts below the chart. */
function drawEvents(context: CanvasRenderingContext2D, events: readonly PngEvent[], chart: { width: number; height: number }): void {
	let y = TITLE_PX + chart.height;
	const top = TITLE_PX + MARKER_PX + 2;
	context.font = context.font.replace(/^.*?px/, "12px");
	events.forEach(({ x, texts }, index) => {
		context.setLineDash([3, 3]);
		context.beginPath();
		context.moveTo(x, top + MARKER_PX);
		context.lineTo(x, TITLE_PX + chart.height - 26);
		context.stroke();
		context.setLineDash([]);
		context.beginPath();
		context.arc(x, top, MARKER_PX, 0, 2 * Math.PI);
		context.stroke();
		context.textAlign = "center";
		context.fillText(String(index + 1), x, top + 4);
		context.textAlign = "left";
		for (const text of texts) {
			context.fillText(`${index + 1}  ${text}`, 14, y + 13, chart.width - 28);
			y += EVENT_PX;
		}
	});
}

/**
 * Downloads the chart inside `root` as a PNG with its title and events.
 * @throws Error when there is no chart or the browser cannot draw it.
 */
export async function savePng(root: Element, title: string, fileName: string, events: readonly PngEvent[] = []): Promise<void> {
	const svg = root.querySelector<SVGSVGElement>("svg.recharts-surface");
	if (!svg) throw new Error("The chart has not loaded yet.");
	const { width, height } = svg.getBoundingClientRect();
	const image = new Image();
	image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standaloneSvg(svg))}`;
	await image.decode();
	const lines = events.reduce((sum, { texts }) => sum + texts.length, 0);
	const total = height + TITLE_PX + (lines > 0 ? lines * EVENT_PX + 8 : 0);
	const canvas = Object.assign(document.createElement("canvas"), { width: width * SCALE, height: total * SCALE });
	const context = canvas.getContext("2d");
	if (!context) throw new Error("This browser cannot draw images.");
	const { color, fontFamily } = getComputedStyle(root);
	context.scale(SCALE, SCALE);
	context.fillStyle = getComputedStyle(root).getPropertyValue("--panel") || "#fff";
	context.fillRect(0, 0, width, total);
	context.fillStyle = color;
	context.strokeStyle = color;
	context.font = `600 14px ${fontFamily}`;
	context.fillText(title, 14, 24);
	context.drawImage(image, 0, TITLE_PX, width, height);
	drawEvents(context, events, { width, height });
	const link = Object.assign(document.createElement("a"), { href: canvas.toDataURL("image/png"), download: fileName });
	link.click();
}
