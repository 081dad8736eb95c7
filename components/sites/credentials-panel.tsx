"use client";
import { Field, Select } from "#components/ui/input.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { describeSource } from "./describe-source.ts";
import { SettingField, TextField } from "./fields.tsx";
import type { SiteKind, SiteSettings } from "./form-values.ts";
import type { CredentialSource, SiteBoxes } from "./use-site-draft.ts";

/** Source of a site's credentials; typed values are write-only. */
export function CredentialsPanel(props: {
	kind: SiteKind;
	stored: SiteSettings | null;
	boxes: SiteBoxes;
	put: (changed: Partial<SiteBoxes>) => void;
	wrong: Record<string, string>;
}) {
	const { kind, stored, boxes, put, wrong } = props;
	const { source, secrets, reference } = boxes;
	const held = kind.credentialFields.length > 0;
	return (
		<Panel title="Credentials" sub="write-only" padded>
			<div className="grid gap-3.5">
				<Field label="Source" htmlFor="credential-source" hint={sourceHint(source, kind, stored)}>
					<Select
						id="credential-source"
						value={source}
						onChange={(e) => put({ source: e.target.value as CredentialSource })}
						aria-describedby="credential-source-note"
					>
						{stored && <option value="kept">Keep current</option>}
						{held && <option value="stored">Store encrypted</option>}
						{kind.withoutCredentials && <option value="chain">Detect from environment</option>}
						{held && <option value="file">File on the server</option>}
						{held && <option value="environment">Environment variable</option>}
					</Select>
				</Field>
				{source === "stored" &&
					kind.credentialFields.map((field) => (
						<SettingField
							key={field.name}
							at={`credentials.${field.name}`}
							field={field}
							value={secrets[field.name] ?? ""}
							onChange={(text) => put({ secrets: { ...secrets, [field.name]: text } })}
							error={wrong[`credentials.${field.name}`]}
						/>
					))}
				{source === "file" && (
					<TextField
						name="credentials.path"
						label="Path"
						hint="Absolute path on the web server and scheduler hosts."
						value={reference}
						onChange={(text) => put({ reference: text })}
						error={wrong["credentials.path"]}
					/>
				)}
				{source === "environment" && (
					<TextField
						name="credentials.name"
						label="Variable"
						hint="SPILLWAY_SITE_…, set for the web server and the scheduler."
						value={reference}
						onChange={(text) => put({ reference: text })}
						error={wrong["credentials.name"]}
					/>
				)}
			</div>
		</Panel>
	);
}

function sourceHint(source: CredentialSource, kind: SiteKind, stored: SiteSettings | null): string {
	if (source === "kept") return `No change: ${describeSource(stored?.credentials.source)}.`;
	if (source === "chain") return kind.withoutCredentials ?? "";
	if (source === "stored") return "Encrypted with a key outside the database. Replaces the current value and is never shown again.";
	return "The JSON to store; the server parses it.";
}
