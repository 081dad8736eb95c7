/** First characters of a formula, and those that spreadsheets skip or treat like them: tab, line breaks, and the wide forms. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?%?$/i;

/** A cell of a file for spreadsheets: text that one would run as a formula gets an apostrophe in front. Numbers are unchanged. */
export function spreadsheetText(text: string): string {
	return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}
