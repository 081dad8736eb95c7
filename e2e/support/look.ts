import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** WCAG 2.0 to 2.2, levels A and AA. */
export const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"];

/** @param inside a selector: only this part of the page is scanned */
export async function expectAccessible(page: Page, inside?: string): Promise<void> {
	const axe = new AxeBuilder({ page }).withTags(WCAG);
	const { violations } = await (inside ? axe.include(inside) : axe).analyze();
	expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.target.join(" ")).join(", ")}`)).toEqual([]);
}

/** The page applies a change of width in its next frame, so this waits for it. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
	const overflowPx = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
	await expect.poll(overflowPx).toBe(0);
}
