import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, type Page } from "@playwright/test";
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
export async function findViolations(
	page: Page,
	{ inside, rules }: Scan = {},
): Promise<{ rule: string; target: string; summary: string }[]> {
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

export async function expectAccessible(page: Page, inside?: string): Promise<void> {
	expect(await findViolations(page, inside ? { inside } : {})).toEqual([]);
}

/** The page applies a change of width in its next frame, so this waits for it. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
	const overflowPx = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
	await expect.poll(overflowPx).toBe(0);
}
