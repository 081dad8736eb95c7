"use client";
import { Field, Select } from "#components/ui/input.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { describeSource } from "./describe-source.ts";
import { SettingField, TextField } from "./fields.tsx";
import type { SiteKind, SiteSettings } from "./form-values.ts";
import type { CredentialSource, SiteBoxes } from "./use-site-draft.ts";

/** Where a site's credentials come from; what is typed here goes one way. */
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
		<Panel title="Credentials" sub="written, never shown" padded>
			<div className="grid gap-3.5">
				<Field label="Where they are" htmlFor="credential-source" hint={sourceHint(source, kind, stored)}>
					<Select
						id="credential-source"
						value={source}
						onChange={(e) => put({ source: e.target.value as CredentialSource })}
						aria-describedby="credential-source-note"
					>
						{stored && <option value="kept">As they are</option>}
						{held && <option value="stored">Stored here, encrypted</option>}
						{kind.withoutCredentials && <option value="chain">Found where Spillway runs</option>}
						{held && <option value="file">In a file on the server</option>}
						{held && <option value="environment">In a variable of the server</option>}
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
						hint="Absolute, on the hosts of the web server and of the scheduler."
						value={reference}
						onChange={(text) => put({ reference: text })}
						error={wrong["credentials.path"]}
					/>
				)}
				{source === "environment" && (
					<TextField
						name="credentials.name"
						label="Variable"
						hint="SPILLWAY_SITE_…, of the web server and of the scheduler."
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
	if (source === "kept") return `Nothing is changed about them: ${describeSource(stored?.credentials.source)}.`;
	if (source === "chain") return kind.withoutCredentials ?? "";
	if (source === "stored")
		return "Encrypted under a key that is not in the database. They replace what was there, and nobody sees them again.";
	return "The JSON that would be stored; the server reads it itself.";
}
