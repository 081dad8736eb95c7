"use client";
import { Panel } from "#components/ui/panel.tsx";
import { SettingField, TextField } from "./fields.tsx";
import type { SiteKind } from "./form-values.ts";
import type { SiteBoxes } from "./use-site-draft.ts";

/** Names of a site; `setId` is null once it exists, because IDs are immutable. */
export interface SiteNames {
	id: string;
	name: string;
	setId: ((id: string) => void) | null;
	setName: (name: string) => void;
}

/** Site name and driver settings with hints. */
export function SettingsPanel(props: {
	kind: SiteKind;
	names: SiteNames;
	boxes: SiteBoxes;
	put: (changed: Partial<SiteBoxes>) => void;
	wrong: Record<string, string>;
}) {
	const { kind, names, boxes, put, wrong } = props;
	const { id, name, setId, setName } = names;
	const { texts, others } = boxes;
	return (
		<Panel title={kind.title} sub={setId ? "new site" : id} padded>
			<div className="grid gap-3.5">
				{setId && (
					<TextField
						name="site-id"
						label="ID"
						hint="Lowercase letters, digits and hyphens. Shown on charges; cannot be changed."
						value={id}
						onChange={setId}
						error={wrong["id"]}
					/>
				)}
				<TextField name="site-name" label="Name" hint="Display name." value={name} onChange={setName} error={wrong["name"]} />
				{kind.fields.map((field) => (
					<SettingField
						key={field.name}
						at={`settings.${field.name}`}
						field={field}
						value={texts[field.name] ?? ""}
						onChange={(text) => put({ texts: { ...texts, [field.name]: text } })}
						error={wrong[`settings.${field.name}`]}
					/>
				))}
				<details open={others !== "" || undefined}>
					<summary className="cursor-pointer font-medium text-ink-2">Other settings</summary>
					<div className="pt-2">
						<SettingField
							at="others"
							field={{ name: "others", label: "As JSON", hint: `Documented in ${kind.docs}.`, input: "json", required: false }}
							value={others}
							onChange={(text) => put({ others: text })}
							error={wrong["others"]}
						/>
					</div>
				</details>
			</div>
		</Panel>
	);
}
