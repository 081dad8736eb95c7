// Opens a page in the given Chromium and fails with its error. Usage: chromium-try.mjs <executable> [argument…]
import process from "node:process";
import { chromium } from "@playwright/test";

const [executablePath, ...args] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args, timeout: 30_000 });
const page = await browser.newPage();
await page.setContent("<h1>works</h1>");
const text = await page.textContent("h1");
await browser.close();
if (text !== "works") throw new Error("the page shows something else");
