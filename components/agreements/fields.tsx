import type { ReactNode } from "react";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Field, Input, Select } from "#components/ui/input.tsx";

interface TextFieldProps {
	label: string;
	id: string;
	value: string;
	onChange: (value: string) => void;
	hint?: ReactNode;
	type?: "text" | "date";
	disabled?: boolean;
}

export function TextField({ label, id, value, onChange, hint, type = "text", disabled = false }: TextFieldProps) {
	return (
		<Field label={label} htmlFor={id} hint={hint}>
			<Input
				id={id}
				type={type}
				value={value}
				disabled={disabled}
				autoComplete="off"
				onChange={(event) => onChange(event.target.value)}
				aria-describedby={hint ? `${id}-note` : undefined}
			/>
		</Field>
	);
}

/** Configured cloud accounts. */
export function useClouds() {
	const trpc = useTRPC();
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	return sites.filter((site) => site.kind === "cloud");
}

export function CloudField({ id, value, onChange }: { id: string; value: string; onChange: (siteId: string) => void }) {
	const clouds = useClouds();
	return (
		<Field label="Cloud account" htmlFor={id}>
			<Select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
				{clouds.map((site) => (
					<option key={site.id} value={site.id}>
						{site.name}
					</option>
				))}
			</Select>
		</Field>
	);
}

/** First day, and first day after the end, in UTC. */
export function DaysFields(props: {
	prefix: string;
	from: string;
	to: string;
	toHint: string;
	onChange: (days: { from?: string; to?: string }) => void;
}) {
	const { prefix, from, to, toHint, onChange } = props;
	return (
		<div className="grid gap-3 md:grid-cols-2">
			<TextField label="From" id={`${prefix}-from`} type="date" value={from} onChange={(day) => onChange({ from: day })} hint="UTC day." />
			<TextField label="To" id={`${prefix}-to`} type="date" value={to} onChange={(day) => onChange({ to: day })} hint={toHint} />
		</div>
	);
}
