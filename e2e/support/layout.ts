import { expect, type Page } from "@playwright/test";

/** Widths of windows, in px, in which each screen is checked: a large monitor, laptops and a phone. */
const WIDTHS = [1920, 1440, 1280, 390] as const;
const HEIGHT = 900;

/** Share of the width that may be empty right of the content, unless as much is empty left of it. */
const EMPTY_MAX = 1 / 2;
const CENTERED_WITHIN = 0.1;

interface Layout {
	scrollsSideways: boolean;
	/** Empty shares of the main area left and right of the content, 0 to 1. */
	left: number;
	right: number;
	/** Texts that are cut off without an ellipsis. */
	cut: string[];
	/** Pairs of texts that cover each other. */
	overlaps: string[];
}

/** No sideways scrolling, no empty half, no text that is cut off or covered by other text, at each width. */
export async function expectLayoutAtEachWidth(page: Page): Promise<void> {
	for (const width of WIDTHS) {
		await page.setViewportSize({ width, height: HEIGHT });
		// The page applies a change of width in its next frames, and charts are drawn again.
		await expect.poll(async () => problemsOf(await page.evaluate(readLayout), width)).toEqual([]);
	}
}

function problemsOf(layout: Layout, width: number): string[] {
	const { scrollsSideways, left, right, cut, overlaps } = layout;
	const isEmpty = right > EMPTY_MAX && right - left > CENTERED_WITHIN;
	return [
		...(scrollsSideways ? [`${width} px: scrolls sideways`] : []),
		...(isEmpty
			? [`${width} px: ${Math.round(right * 100)}% of the width are empty at the right, ${Math.round(left * 100)}% at the left`]
			: []),
		...cut.map((text) => `${width} px: "${text}" is cut off`),
		...overlaps.map((pair) => `${width} px: ${pair}`),
	];
}

/** Runs in the page. */
function readLayout(): Layout {
	const main = document.querySelector("main");
	if (!main) throw new Error("the page has no main element");
	const area = main.getBoundingClientRect();
	const isShown = (element: Element) =>
		element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
		!element.closest("[aria-hidden=true], .sr-only, .cm-editor");
	/** Without what scrolling or clipping parents hide. */
	const visiblePart = (line: DOMRect, element: Element): DOMRect => {
		let [x, y, right, bottom] = [line.left, line.top, line.right, line.bottom];
		for (let parent: Element | null = element; parent && parent !== main; parent = parent.parentElement) {
			if (getComputedStyle(parent).overflow === "visible") continue;
			const box = parent.getBoundingClientRect();
			[x, y, right, bottom] = [Math.max(x, box.left), Math.max(y, box.top), Math.min(right, box.right), Math.min(bottom, box.bottom)];
		}
		return new DOMRect(x, y, Math.max(0, right - x), Math.max(0, bottom - y));
	};
	const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
	const texts: { text: string; element: Element; box: DOMRect }[] = [];
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		const text = node.textContent?.trim() ?? "";
		const element = node.parentElement;
		if (text === "" || !element || !isShown(element)) continue;
		const range = document.createRange();
		range.selectNodeContents(node);
		// Text that wraps has a box per line.
		for (const line of range.getClientRects()) {
			const box = visiblePart(line, element);
			if (box.width > 2 && box.height > 2) texts.push({ text, element, box });
		}
	}
	const body = texts.filter(({ element }) => !element.closest("[data-page-header]"));
	const edges = body.map(({ box }) => box);
	const left = Math.min(...edges.map((box) => box.left)) - area.left;
	const right = area.right - Math.max(...edges.map((box) => box.right));
	const clips = ({ element }: { element: Element }) => {
		const { overflowX, textOverflow } = getComputedStyle(element);
		return overflowX === "hidden" && textOverflow !== "ellipsis" && element.scrollWidth > element.clientWidth + 1;
	};
	const overlaps: string[] = [];
	for (const [index, a] of body.entries()) {
		for (const b of body.slice(index + 1)) {
			if (a.element.contains(b.element) || b.element.contains(a.element)) continue;
			const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
			const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
			if (wide > 3 && high > 5) overlaps.push(`"${a.text.slice(0, 40)}" and "${b.text.slice(0, 40)}" cover each other`);
		}
	}
	return {
		scrollsSideways: document.documentElement.scrollWidth > document.documentElement.clientWidth,
		left: left / area.width,
		right: right / area.width,
		cut: [...new Set(texts.filter(clips).map(({ text }) => text.slice(0, 60)))],
		overlaps: [...new Set(overlaps)].slice(0, 10),
	};
}
