import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, type Page, test } from "@playwright/test";
import type axe from "axe-core";
import { ROOT } from "./system.ts";

declare global {
	interface Window {
		axe?: typeof axe;
	}
}

const AXE = readFileSync(path.join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");

/** WCAG 2.0 to 2.2, levels A and AA. */
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"];

type Scan = {
	/** A selector: only this part of the page is scanned. */
	inside?: string;
	/** Only these rules. */
	rules?: string[];
};

/** Violations that axe finds, with their element. The pages have no frames, which would need axe in each. */
async function findViolations(page: Page, { inside, rules }: Scan = {}): Promise<{ rule: string; target: string; summary: string }[]> {
	// Parsing it takes as long as a scan, so each document gets it once.
	if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(AXE);
	const runOnly = rules ? { type: "rule" as const, values: rules } : { type: "tag" as const, values: WCAG };
	return page.evaluate(
		async ({ context, options }) => {
			const results = await window.axe?.run(context ?? document, options);
			if (!results) throw new Error("axe is not in the page");
			return results.violations.flatMap(({ id, nodes }) =>
				nodes.map(({ target, failureSummary = "" }) => ({ rule: id, target: target.join(" "), summary: failureSummary })),
			);
		},
		{ context: inside, options: { runOnly, resultTypes: ["violations" as const], preload: false } },
	);
}

/** A screen is loaded in the first of these, and then follows changes of window and theme as in a browser. */
export const LOOKS = [
	{ colorScheme: "light", viewport: { width: 390, height: 844 } },
	{ colorScheme: "light", viewport: { width: 1440, height: 900 } },
	{ colorScheme: "dark", viewport: { width: 1440, height: 900 } },
	{ colorScheme: "dark", viewport: { width: 390, height: 844 } },
] as const;

/** In the dark theme only the rules that depend on it: the others were checked on the same elements in the light one. */
function findThemeViolations(page: Page, colorScheme: "light" | "dark") {
	return findViolations(page, colorScheme === "light" ? {} : { rules: ["color-contrast", "link-in-text-block"] });
}

/** In both themes, on a phone and on a desktop. `ready` waits until the data is shown. */
export async function expectWholeInEachLook(page: Page, ready: () => Promise<void>): Promise<void> {
	for (const { colorScheme, viewport } of LOOKS) {
		await test.step(`${colorScheme}, ${viewport.width} px`, async () => {
			await page.setViewportSize(viewport);
			await page.emulateMedia({ colorScheme });
			await ready();
			await expectWhole(page, colorScheme);
		});
	}
}

/** Nothing failed to load, nothing scrolls sideways, and the screen is accessible. */
export async function expectWhole(page: Page, colorScheme: "light" | "dark"): Promise<void> {
	await expect(page.getByRole("main")).toHaveCount(1);
	await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0);
	const layout = () =>
		page.evaluate(() => ({
			shown: getComputedStyle(document.documentElement).colorScheme,
			scrollsSideways: document.documentElement.scrollWidth > document.documentElement.clientWidth,
		}));
	// The page applies a change of theme or width in its next frame.
	await expect.poll(layout).toEqual({ shown: expect.stringContaining(colorScheme), scrollsSideways: false });
	expect(await findThemeViolations(page, colorScheme)).toEqual([]);
}

export async function expectAccessible(page: Page, inside?: string): Promise<void> {
	expect(await findViolations(page, inside ? { inside } : {})).toEqual([]);
}

export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
	for (const colorScheme of ["light", "dark"] as const) {
		await page.emulateMedia({ colorScheme });
		expect(await findThemeViolations(page, colorScheme)).toEqual([]);
	}
}

/** The page applies a change of width in its next frame, so this waits for it. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
	const overflowPx = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
	await expect.poll(overflowPx).toBe(0);
}
