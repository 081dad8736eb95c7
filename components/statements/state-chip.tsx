import { STATE_TONE } from "#components/statements/prepare-statement.ts";
import { Chip } from "#components/ui/chip.tsx";
import type { StatementState } from "#server/domain/statement.ts";
import { STATE_WORDS } from "#server/domain/statement-words.ts";

export function StateChip({ state, className }: { state: StatementState; className?: string }) {
	return (
		<Chip tone={STATE_TONE[state]} {...(className ? { className } : {})}>
			{STATE_WORDS[state]}
		</Chip>
	);
}
