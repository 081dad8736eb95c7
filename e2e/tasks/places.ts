import { expect, type Locator, type Page } from "@playwright/test";

export const main = (page: Page): Locator => page.getByRole("main");
export const dialog = (page: Page): Locator => page.getByRole("dialog");
export const title = (page: Page, name: string | RegExp): Locator => page.getByRole("heading", { level: 1, name });
/** The first link to a job with this name, in the list at the top of the screen. */
export const jobLink = (page: Page, name: string | RegExp): Locator => main(page).getByRole("link", { name }).first();

/** Opens a screen by its link. Returns when it is shown: a click on the old screen could end the navigation. */
export async function openScreen(page: Page, name: string | RegExp): Promise<void> {
	const link = page.getByRole("navigation", { name: "Screens" }).first().getByRole("link", { name });
	await link.click();
	await expect(link).toHaveAttribute("aria-current", "page");
}
