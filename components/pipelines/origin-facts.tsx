import type { Outputs } from "#components/trpc/outputs.ts";
import { Link } from "#components/ui/link.tsx";

type Origin = Pick<Outputs["pipeline"]["get"], "template" | "parameters">;

/** The template that a pipeline was run from, and the values of its parameters. Nothing for a pipeline that has neither. */
export function OriginFacts({ origin: { template, parameters } }: { origin: Origin }) {
	const values = Object.entries(parameters);
	if (template === null && values.length === 0) return null;
	return (
		<dl className="flex flex-wrap gap-x-8 gap-y-2" aria-label="Template and parameters">
			{template && (
				<div>
					<dt className="text-xs text-ink-3">Template</dt>
					<dd>
						<TemplateName template={template} />
					</dd>
				</div>
			)}
			{values.map(([name, value]) => (
				<div key={name} className="min-w-0">
					<dt className="text-xs text-ink-3">{name}</dt>
					<dd className="font-mono text-sm wrap-anywhere">{String(value)}</dd>
				</div>
			))}
		</dl>
	);
}

/** A link to the template that a run is from, with its version. */
export function TemplateName({ template: { id, name, version, isDeleted } }: { template: NonNullable<Origin["template"]> }) {
	if (isDeleted) return `${name}, version ${version} (deleted)`;
	return (
		<>
			<Link
				href={`/pipelines/templates/${id}`}
				className="font-strong underline decoration-line-strong underline-offset-4 hover:decoration-current"
			>
				{name}
			</Link>
			, version {version}
		</>
	);
}
