import { expect, type Page } from "@playwright/test";

/** Moves the focus to the first row by keyboard, as soon as the page listens for keys. */
export async function focusFirstRow(page: Page): Promise<void> {
	await expect(async () => {
		await page.keyboard.press("j");
		await expect(page.locator("tr:focus")).toHaveCount(1, { timeout: 1_000 });
	}).toPass();
	await page.keyboard.press("Home");
}
