import type { Locator, Page } from "@playwright/test";

export const main = (page: Page): Locator => page.getByRole("main");
export const dialog = (page: Page): Locator => page.getByRole("dialog");
export const title = (page: Page, name: string | RegExp): Locator => page.getByRole("heading", { level: 1, name });
export const screenLink = (page: Page, name: string | RegExp): Locator =>
	page.getByRole("navigation", { name: "Screens" }).first().getByRole("link", { name });
/** The first link to a job with this name, in the list at the top of the screen. */
export const jobLink = (page: Page, name: string | RegExp): Locator => main(page).getByRole("link", { name }).first();
