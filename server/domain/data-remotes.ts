import { DataAddressError, dataAddressOf } from "./data-address.ts";

/** Sections of an rclone configuration by name. Each maps options by key, including `type`. They contain credentials. */
export type DataRemotes = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The remotes that these data sets need. A URI that cannot be parsed needs none. */
export function remotesFor(data: readonly { uri: string }[], remotes: DataRemotes): DataRemotes {
	const needed = new Set(data.flatMap(({ uri }) => remoteNameOf(uri) ?? []));
	return Object.fromEntries(Object.entries(remotes).filter(([name]) => needed.has(name)));
}

function remoteNameOf(uri: string): string | null {
	try {
		return dataAddressOf(uri).remote;
	} catch {
		return null;
	}
}

const SECTION = /^\[([^\]]+)\]$/;
const OPTION = /^([A-Za-z0-9_]+)\s*=\s*(.*)$/;

/**
 * Parses the sections of an rclone.conf.
 * @throws DataAddressError naming the line that cannot be read
 */
export function parseRemotes(text: string): DataRemotes {
	const remotes: Record<string, Record<string, string>> = {};
	let section: Record<string, string> | null = null;
	for (const [i, raw] of text.split(/\r?\n/).entries()) {
		const line = raw.trim();
		if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
		if (/^RCLONE_ENCRYPT_V\d/.test(line))
			throw new DataAddressError("the file is encrypted by rclone; provide an unencrypted one that only Spillway can read");
		const name = SECTION.exec(line)?.[1];
		const option = OPTION.exec(line);
		if (name !== undefined) remotes[name] = section = {};
		else if (option?.[1] !== undefined && section !== null) section[option[1].toLowerCase()] = option[2] ?? "";
		else throw new DataAddressError(`line ${i + 1} is neither "[name]" nor "key = value" of a section`);
	}
	for (const [name, options] of Object.entries(remotes)) if (!options["type"]) throw new DataAddressError(`the remote ${name} has no type`);
	return remotes;
}
