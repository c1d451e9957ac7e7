/**
 * Classifies PostgreSQL errors by their SQLSTATE class (appendix A of PostgreSQL's manual). A fault of the database: the same
 * request can succeed later. A fault of the service: a statement or its values are wrong, and repeating it does not help.
 */

export type Fault = 'database' | 'service';

interface SqlstateClass {
  title: string;
  fault: Fault;
  /** Codes of the class that have the opposite fault, with the reason. */
  except?: Record<string, string>;
}

export const sqlstateClasses: Readonly<Record<string, SqlstateClass>> = {
  '00': { fault: 'service', title: 'Successful Completion' },
  '01': { fault: 'service', title: 'Warning' },
  '02': { fault: 'service', title: 'No Data' },
  '03': { fault: 'service', title: 'SQL Statement Not Yet Complete' },
  '08': { fault: 'database', title: 'Connection Exception' },
  '09': { fault: 'service', title: 'Triggered Action Exception' },
  '0A': { fault: 'service', title: 'Feature Not Supported' },
  '0B': { fault: 'service', title: 'Invalid Transaction Initiation' },
  '0F': { fault: 'service', title: 'Locator Exception' },
  '0L': { fault: 'service', title: 'Invalid Grantor' },
  '0P': { fault: 'service', title: 'Invalid Role Specification' },
  '0Z': { fault: 'service', title: 'Diagnostics Exception' },
  '10': { fault: 'service', title: 'XQuery Error' },
  '20': { fault: 'service', title: 'Case Not Found' },
  '21': { fault: 'service', title: 'Cardinality Violation' },
  '22': { fault: 'service', title: 'Data Exception' },
  '23': { fault: 'service', title: 'Integrity Constraint Violation' },
  '24': { fault: 'service', title: 'Invalid Cursor State' },
  '25': {
    fault: 'service',
    title: 'Invalid Transaction State',
    except: {
      '25006': 'read-only, as after a failover',
      '25P03': 'idle in a transaction for too long, as when this process was held up',
      '25P04': 'a transaction took longer than the server allows',
    },
  },
  '26': { fault: 'service', title: 'Invalid SQL Statement Name' },
  '27': { fault: 'service', title: 'Triggered Data Change Violation' },
  // Roles and passwords change while the service runs.
  '28': { fault: 'database', title: 'Invalid Authorization Specification' },
  '2B': { fault: 'service', title: 'Dependent Privilege Descriptors Still Exist' },
  '2D': { fault: 'service', title: 'Invalid Transaction Termination' },
  '2F': { fault: 'service', title: 'SQL Routine Exception' },
  '34': { fault: 'service', title: 'Invalid Cursor Name' },
  '38': { fault: 'service', title: 'External Routine Exception' },
  '39': { fault: 'service', title: 'External Routine Invocation Exception' },
  '3B': { fault: 'service', title: 'Savepoint Exception' },
  // The database itself is a catalog: it was dropped or renamed, or its restore has not begun.
  '3D': { fault: 'database', title: 'Invalid Catalog Name' },
  '3F': { fault: 'service', title: 'Invalid Schema Name' },
  '40': { fault: 'database', title: 'Transaction Rollback' },
  '42': { fault: 'service', title: 'Syntax Error or Access Rule Violation' },
  '44': { fault: 'service', title: 'WITH CHECK OPTION Violation' },
  '53': { fault: 'database', title: 'Insufficient Resources' },
  '54': { fault: 'service', title: 'Program Limit Exceeded' },
  '55': {
    fault: 'service',
    title: 'Object Not In Prerequisite State',
    except: { '55006': 'an object is in use', '55P03': 'a lock is not available' },
  },
  '57': { fault: 'database', title: 'Operator Intervention' },
  '58': { fault: 'database', title: 'System Error' },
  // Up to PostgreSQL 16.
  '72': { fault: 'database', title: 'Snapshot Failure' },
  F0: { fault: 'database', title: 'Configuration File Error' },
  HV: { fault: 'service', title: 'Foreign Data Wrapper Error' },
  P0: { fault: 'service', title: 'PL/pgSQL Error' },
  XX: { fault: 'database', title: 'Internal Error' },
};

/** Undefined if the code is not an SQLSTATE of PostgreSQL; codes of Node and Prisma look similar. */
export function faultOf(code: string): Fault | undefined {
  const found = /^[0-9A-Z]{5}$/.test(code) ? sqlstateClasses[code.slice(0, 2)] : undefined;
  if (!found?.except || !(code in found.except)) return found?.fault;
  return found.fault === 'service' ? 'database' : 'service';
}
