-- expands: earlier programs run on this schema
CREATE INDEX "decision_stayed" ON "decision" USING btree ("decided_at") WHERE "decision"."attempt_number" is null;--> statement-breakpoint
CREATE INDEX "gpu_minute_time" ON "gpu_minute" USING btree ("minute");--> statement-breakpoint
CREATE FUNCTION spillway_decision_retention() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
BEGIN
	-- Retention may delete decisions that left the job where it was; those that placed it stay as evidence.
	IF TG_OP = 'DELETE' AND current_setting('spillway.retention', true) = 'on' THEN
		IF TG_LEVEL = 'STATEMENT' THEN RETURN NULL; END IF;
		IF OLD.attempt_number IS NULL THEN RETURN OLD; END IF;
	END IF;
	RAISE EXCEPTION '% is insert-only', TG_TABLE_NAME USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_insert_only';
END $$;
--> statement-breakpoint
DROP TRIGGER decision_insert_only ON decision;
--> statement-breakpoint
CREATE TRIGGER decision_insert_only BEFORE DELETE OR UPDATE ON decision FOR EACH STATEMENT EXECUTE FUNCTION spillway_decision_retention();
--> statement-breakpoint
CREATE TRIGGER decision_placed_insert_only BEFORE DELETE ON decision FOR EACH ROW EXECUTE FUNCTION spillway_decision_retention();
