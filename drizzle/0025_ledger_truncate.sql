-- The books are not emptied at one stroke either: TRUNCATE fires no trigger for UPDATE or DELETE. Charges' own, and that of each
-- of their partitions, which can be named directly.
CREATE TRIGGER charge_no_truncate BEFORE TRUNCATE ON "charge" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
DO $$
DECLARE part regclass;
BEGIN
	FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'charge'::regclass LOOP
		EXECUTE format('CREATE TRIGGER charge_no_truncate BEFORE TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change()', part);
	END LOOP;
END $$;
--> statement-breakpoint
-- As in migration 0006, with that trigger on each new month.
CREATE OR REPLACE FUNCTION spillway_charge_month(at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	month timestamp := date_trunc('month', at AT TIME ZONE 'UTC');
	name text := 'charge_' || to_char(month, 'YYYY_MM');
BEGIN
	IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
	-- The lock that attaching takes anyway; unlike an advisory one it also makes what others just made visible.
	LOCK TABLE charge IN SHARE UPDATE EXCLUSIVE MODE;
	IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
	EXECUTE format('CREATE TABLE %I (LIKE charge INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
	EXECUTE format('ALTER TABLE charge ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
		name, month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
	EXECUTE format('CREATE TRIGGER charge_insert_only BEFORE UPDATE OR DELETE ON %I FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change()', name);
	EXECUTE format('CREATE TRIGGER charge_no_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change()', name);
END $$;
--> statement-breakpoint
CREATE TRIGGER rate_card_no_truncate BEFORE TRUNCATE ON "rate_card" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_no_truncate BEFORE TRUNCATE ON "statement" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_signature_no_truncate BEFORE TRUNCATE ON "statement_signature" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_note_no_truncate BEFORE TRUNCATE ON "statement_note" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER bill_line_no_truncate BEFORE TRUNCATE ON "bill_line" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER bill_line_restated_no_truncate BEFORE TRUNCATE ON "bill_line_restated" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
