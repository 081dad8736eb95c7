// Writes names.tsv from the Unicode CLDR that is built into Node: names of countries, languages and currencies in
// twelve languages. Run by hand, and only to recreate the data set: its rows change with the version of CLDR.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const LANGUAGES = ["da", "de", "en", "es", "fi", "fr", "it", "nl", "pl", "pt", "sv", "tr"];
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

const nameIn = (language, type) => new Intl.DisplayNames(language, { type, fallback: "none" });

function codes() {
	const pairs = LETTERS.flatMap((a) => LETTERS.map((b) => a + b));
	const region = nameIn("en", "region");
	const language = nameIn("en", "language");
	return {
		region: pairs.filter((code) => region.of(code)),
		language: pairs.map((code) => code.toLowerCase()).filter((code) => Intl.getCanonicalLocales(code)[0] === code && language.of(code)),
		currency: Intl.supportedValuesOf("currency"),
	};
}

const rows = LANGUAGES.flatMap((language) =>
	Object.entries(codes()).flatMap(([type, list]) => {
		const names = nameIn(language, type);
		return list.flatMap((code) => (names.of(code) ? [{ language, type, code, name: names.of(code) }] : []));
	}),
);

// "Kanada" is German, Finnish, Polish and Turkish alike: a name that two languages share has no right answer.
const languagesOf = new Map();
for (const { name, language } of rows) {
	const key = name.toLowerCase();
	languagesOf.set(key, (languagesOf.get(key) ?? new Set()).add(language));
}
const lines = rows
	.filter(({ name }) => languagesOf.get(name.toLowerCase()).size === 1)
	.map(({ language, type, code, name }) => [language, type, code, name].join("\t"));

writeFileSync(join(import.meta.dirname, "names.tsv"), `language\ttype\tcode\tname\n${lines.join("\n")}\n`);
console.log(`${lines.length} names, CLDR ${process.versions.cldr}`);
