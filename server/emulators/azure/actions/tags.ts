import { ArmError } from "../arm-error.ts";

/** Source: Microsoft Learn, "Use tags to organize your Azure resources", limitations. */
const MAX_TAGS = 50;
const MAX_NAME = 512;
const MAX_VALUE = 256;

export type Tags = Record<string, string>;

/** @throws ArmError for a name or value that Azure rejects */
export function readTags(tags: Tags): Tags {
	const names = Object.keys(tags);
	if (names.length > MAX_TAGS) throw new ArmError("InvalidTags", `A resource can have ${MAX_TAGS} tags.`);
	for (const [name, value] of Object.entries(tags)) {
		if (/[<>%&\\?/]/.test(name))
			throw new ArmError(
				"InvalidTagNameCharacters",
				`The tag names '${name}' have reserved characters '<,>,%,&,\\,?,/' or control characters.`,
			);
		if (name.length > MAX_NAME || value.length > MAX_VALUE)
			throw new ArmError("InvalidTags", `The tag '${name}' is too long: names have ${MAX_NAME} characters at most, values ${MAX_VALUE}.`);
	}
	if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
		throw new ArmError("InvalidTags", "Tag names are the same in any case of their letters: one is named twice.");
	return { ...tags };
}
